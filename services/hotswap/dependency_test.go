package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/adapter-hotswap/adapter-hotswap-go/"

// What each part of the hexagon may import of this module. Test files are free.
var dependencyRule = []struct {
	part string   // a folder, and what is below it
	may  []string // folders, and what is below them
}{
	{"pkg/hotswap", nil},
	{"pkg/membus", []string{"pkg/hotswap"}},
	{"pkg/rabbitmq", []string{"pkg/hotswap"}},
	{"pkg/service", []string{"pkg/service"}},
	{"services/hotswap/animal", []string{"pkg/hotswap"}},
	{"services/hotswap/walkthrough", nil},
	{"services/hotswap/adapters", []string{
		"services/hotswap/animal", "services/hotswap/walkthrough", "pkg/hotswap", "pkg/service"}},
	{"services/upstream", []string{"pkg/service"}},
	{"services/primary", []string{"services/primary", "services/upstream", "pkg/service"}},
	{"services/fallback", []string{"services/fallback", "services/upstream", "pkg/service"}},
}

// TestDependencyRule holds the imports against the rule of the hexagon: the
// inside knows nothing of the outside, adapters do not know each other, and only
// the composition knows everything.
func TestDependencyRule(t *testing.T) {
	for _, rule := range dependencyRule {
		for file, imports := range importsBelow(t, rule.part) {
			for _, imported := range imports {
				own := strings.TrimPrefix(imported, module)
				switch {
				case !strings.HasPrefix(imported, module):
					if rule.part == "pkg/hotswap" && strings.Contains(imported, ".") {
						t.Errorf("%s imports %s: the pattern uses the standard library only", file, imported)
					}
				case within(own, adapterOf(file)), slices.ContainsFunc(rule.may, func(p string) bool { return within(own, p) }):
				default:
					t.Errorf("%s imports %s: %s may import %q of this module only", file, own, rule.part, rule.may)
				}
			}
		}
	}
}

func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// adapterOf is the folder within which a file may import freely: its adapter's,
// or its package's.
func adapterOf(file string) string {
	const adapters = "services/hotswap/adapters/"
	if rest, ok := strings.CutPrefix(file, adapters); ok {
		name, _, _ := strings.Cut(rest, "/")
		return adapters + name
	}
	return path.Dir(file)
}

// importsBelow reads the imports of every file below folder that is no test.
func importsBelow(t *testing.T, folder string) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	found := make(map[string][]string)
	err := filepath.WalkDir(filepath.Join(root, folder), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(root, name)
		for _, i := range parsed.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			found[filepath.ToSlash(relative)] = append(found[filepath.ToSlash(relative)], imported)
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %d files read, %v", folder, len(found), err)
	}
	return found
}
