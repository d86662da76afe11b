package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
)

func environmentPath(name string) string { return "environments/" + name + ".md" }

func (s *site) environmentPages() {
	var rows [][]string
	for _, name := range envs.Names() {
		d, err := envs.Lookup(name)
		if err == nil {
			err = s.environmentPage(d)
		}
		if err != nil {
			s.fail(fmt.Errorf("environment %s: %w", name, err))
		}
		rows = append(rows, []string{link(environmentPath(d.Name), code(d.Name)), escape(d.Summary), escape(d.Source)})
	}
	s.page("environments/index.md", "environments", rows)
}

func (s *site) environmentPage(d envs.Definition) error {
	config := d.Default()
	env, err := config.Build()
	if err != nil {
		return err
	}
	picture := filepath.Join(s.bench.folder, d.Name+".svg")
	text, err := s.bench.prints("env", d.Name, "--draw", picture)
	if err != nil {
		return err
	}
	if s.files["environments/"+d.Name+".svg"], err = os.ReadFile(picture); err != nil {
		return err
	}
	folder := "envs/" + d.Name
	pkg := s.docs.packages[folder]
	if pkg == nil || pkg.Doc == "" {
		return fmt.Errorf("package %s has no doc comment", folder)
	}
	info := env.Info()
	s.page(environmentPath(d.Name), "environment", map[string]any{
		"Name": d.Name, "Summary": d.Summary, "Source": d.Source, "Transformer": d.Transformer,
		"Reward": strings.Join(info.Components, ", "), "Gives": strings.Join(info.Provides().Names(), ", "),
		"Problem": text,
		"Rules":   s.docs.markdown(3, pkg, pkg.Doc), "Folder": folder,
		"Fields": fieldRows(params.Fields(config)),
		"Specs":  s.specsWith(func(f specFacts) bool { return slices.Contains(f.envs, d.Name) }),
	})
	return nil
}
