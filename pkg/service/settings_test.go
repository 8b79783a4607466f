package service

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type everyRule struct {
	Above    time.Duration `env:"ABOVE" envDefault:"15s" rule:"duration>0" help:"how long"`
	Wait     time.Duration `env:"WAIT" envDefault:"0s" rule:"duration>=0"`
	Count    int           `env:"COUNT" envDefault:"1" rule:"int>0"`
	Spare    int           `env:"SPARE" envDefault:"0" rule:"int>=0"`
	Share    float64       `env:"SHARE" envDefault:"0.5" rule:"fraction"`
	Port     int           `env:"PORT" envDefault:"8080" rule:"port"`
	Upstream string        `env:"UPSTREAM" envDefault:"http://primary:8080" rule:"url"`
	Brokers  []string      `env:"BROKERS" envDefault:"amqp://a:b@rabbitmq/" rule:"amqp"`
	Cert     string        `env:"CERT" envDefault:"" rule:"file"`
	Chaos    bool          `env:"CHAOS" envDefault:"off" rule:"switch"`
	Format   string        `env:"FORMAT" envDefault:"demo" rule:"demo|text|json"`
	Name     string        `env:"NAME" envDefault:"" rule:"text"`
}

func TestLoadTakesDefaultsForWhatIsNotSet(t *testing.T) {
	got, err := Load[everyRule](map[string]string{"ABOVE": "", "COUNT": "7", "CHAOS": "on", "UNRELATED": "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := everyRule{
		Above: 15 * time.Second, Count: 7, Share: 0.5, Port: 8080, Upstream: "http://primary:8080",
		Brokers: []string{"amqp://a:b@rabbitmq/"}, Chaos: true, Format: "demo",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRules(t *testing.T) {
	cert := filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(cert, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		accepted []string
		rejected []string
	}{
		{"ABOVE", []string{"1ns", "1h30m"}, []string{"0s", "0", "-1s", "15", "abc", " 1s", "99999999h"}},
		{"WAIT", []string{"0", "0s", "500ms"}, []string{"-1ns", "1 s", "soon"}},
		{"COUNT", []string{"1", "1000"}, []string{"0", "-1", "1.5", "many", "99999999999999999999"}},
		{"SPARE", []string{"0", "3"}, []string{"-1", "none"}},
		{"SHARE", []string{"0", "1", "0.25"}, []string{"-0.1", "1.1", "NaN", "10%", "Inf"}},
		{"PORT", []string{"0", "1", "65535"}, []string{"-1", "65536", "http", ":80"}},
		{"UPSTREAM", []string{"https://a", "http://[::1]:80/x?y=z", "http://u:p@a"},
			[]string{"primary:8080", "http://", "/animal", "ftp://a", "http://a:70000", "http://a:0", "http://a#b", "http://:80", "a"}},
		{"BROKERS", []string{"amqp://a", "amqps://u:p@a:5671/vhost,amqp://b"},
			[]string{"http://a", "amqp://a,", "amqp://a, amqp://b", "amqp://a,b", "rabbitmq:5672"}},
		{"CERT", []string{cert}, []string{cert + ".missing", filepath.Dir(cert)}},
		{"CHAOS", []string{"on", "off"}, []string{"true", "ON", "1", "maybe"}},
		{"FORMAT", []string{"demo", "text", "json"}, []string{"xml", "Demo", "demo|text", "demo,text"}},
		{"NAME", []string{"anything at all"}, nil},
	} {
		for _, value := range c.accepted {
			if _, err := Load[everyRule](map[string]string{c.name: value}); err != nil {
				t.Errorf("%s=%q is refused: %v", c.name, value, err)
			}
		}
		for _, value := range c.rejected {
			_, err := Load[everyRule](map[string]string{c.name: value})
			if err == nil {
				t.Errorf("%s=%q is taken", c.name, value)
				continue
			}
			checkOneLine(t, err, fmt.Sprintf("%s=%q: must be ", c.name, value))
		}
	}
}

func checkOneLine(t *testing.T, err error, prefix string) {
	t.Helper()
	if _, typed := errors.AsType[*SettingsError](err); !typed {
		t.Errorf("%v is a %T", err, err)
	}
	if line := err.Error(); !strings.HasPrefix(line, prefix) || strings.ContainsAny(line, "\n\r") {
		t.Errorf("got %q, want one line that begins with %q", line, prefix)
	}
}

func TestEveryBadSettingIsNamedInOneLine(t *testing.T) {
	_, err := Load[everyRule](map[string]string{"ABOVE": "abc", "FORMAT": "xml", "PORT": "1\n2"})
	want := `ABOVE="abc": must be a duration above 0, such as 15s; ` +
		`PORT="1\n2": must be a port from 1 to 65535, or 0 for any free one; ` +
		`FORMAT="xml": must be demo, text or json`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
}

func TestCredentialsStayOutOfErrors(t *testing.T) {
	for _, value := range []string{
		"http://user:s3cret@rabbitmq:5672/",
		"amqp://user:s3cret@a,http://user:s3cret@b",
		"amqp://user:s3/cret@a:b",
		"amqp://user:s3@cret@a:b",
		"amqp://user:s3%cret@a",
		"amqp://user:s3\ncret@a:x",
		"user:s3cret@rabbitmq:5672",
		"amqp://user:s3cret",
		"user:s3cret",
	} {
		for _, name := range []string{"BROKERS", "UPSTREAM"} {
			_, err := Load[everyRule](map[string]string{name: value})
			if err == nil {
				if name == "UPSTREAM" && strings.HasPrefix(value, "http:") {
					continue
				}
				t.Errorf("%s=%q is taken", name, value)
				continue
			}
			if strings.Contains(err.Error(), "cret") || strings.Contains(err.Error(), "s3") {
				t.Errorf("%s=%q: the error shows the password: %v", name, value, err)
			}
		}
	}
}

type ranged struct {
	Low  int `env:"LOW" envDefault:"1" rule:"int>0"`
	High int `env:"HIGH" rule:"int>0"`
}

func (r *ranged) Validate() error {
	if r.Low > r.High {
		return fmt.Errorf("LOW=\"%d\": must not be above\nHIGH, which is %d", r.Low, r.High)
	}
	return nil
}

func TestFieldsAreCheckedTogetherWhenEachIsRight(t *testing.T) {
	for _, c := range []struct {
		environ map[string]string
		want    string
	}{
		{map[string]string{"HIGH": "2"}, ""},
		{nil, `HIGH="": must be a whole number above 0`},
		{map[string]string{"HIGH": ""}, `HIGH="": must be a whole number above 0`},
		{map[string]string{"HIGH": "1", "LOW": "2"}, `LOW="2": must not be above\nHIGH, which is 1`},
		{map[string]string{"HIGH": "x", "LOW": "2"}, `HIGH="x": must be a whole number above 0`},
	} {
		_, err := Load[ranged](maps.Clone(c.environ))
		if got := errorText(err); got != c.want {
			t.Errorf("%v: got %q, want %q", c.environ, got, c.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSettingsDescribeTheFieldsThatLoadReads(t *testing.T) {
	settings := Settings[everyRule]()
	if len(settings) != 12 {
		t.Fatalf("%d settings", len(settings))
	}
	want := Setting{Name: "ABOVE", Default: "15s", Rule: "a duration above 0, such as 15s", Help: "how long"}
	if settings[0] != want {
		t.Errorf("got %+v, want %+v", settings[0], want)
	}
}
