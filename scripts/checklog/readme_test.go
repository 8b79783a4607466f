package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

// The log that the README shows is the checker's own sample.
func TestReadmeShowsTheSample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("README.md is missing")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, rest, opened := strings.Cut(string(readme), "<!-- walkthrough -->")
	block, _, closed := strings.Cut(rest, "<!-- /walkthrough -->")
	if !opened || !closed {
		t.Fatal("README.md has no <!-- walkthrough --> … <!-- /walkthrough --> block")
	}
	want := "```text\n" + contract.Sample() + "```"
	if got := strings.TrimSpace(strings.ReplaceAll(block, "\r\n", "\n")); got != want {
		t.Errorf("README.md shows\n%s\nwant what checklog -print-sample prints:\n%s", got, want)
	}
}
