package train

import (
	"context"
	"errors"
	"fmt"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
	"modebench/policies/transformer"
)

// This file checks the bytes of base policies. The checksum in a file fits even after an
// alteration, since anyone can compute it. The file that earlier cells began from tells, and so
// does pre-training once more.

// Verify pre-trains the base policies of the specs once more, and compares the cached files with
// the result. A missing file is made. A file that differs is an *input.Error that names it.
func (b *Bases) Verify(ctx context.Context, specs []*spec.Spec) error {
	verified := map[string]bool{} // by the name of the file
	for _, s := range specs {
		for _, v := range s.Variants {
			for i, seed := range s.SeedNumbers() {
				if i > 0 && s.Nested.Share(seed-1, seed) {
					continue
				}
				if err := b.verifyFor(ctx, v, seed, verified); err != nil {
					return err
				}
			}
		}
	}
	if len(verified) == 0 {
		b.note("no cell starts from a base policy, so there is nothing to verify")
	}
	return nil
}

// verifyFor verifies the base policy that a seed of the variant starts from, if there is one
// and it is not among those that were verified.
func (b *Bases) verifyFor(ctx context.Context, v *spec.Variant, seed int, verified map[string]bool) error {
	p, err := v.SetupFor(seed)
	if err != nil {
		return err
	}
	c, ok := p.Policy.(*spec.TransformerPolicy)
	if !ok {
		return nil
	}
	origin, err := newBase(p, c.Config)
	if err != nil || origin.name == "" || verified[origin.name] {
		return err
	}
	verified[origin.name] = true
	into, err := b.newPolicy(ctx, origin)
	if err != nil {
		return err
	}
	return errors.Join(b.verifyOne(ctx, into, origin), into.Close())
}

func (b *Bases) verifyOne(ctx context.Context, into *transformer.Policy, origin *base) error {
	path, err := b.path(origin.name)
	if err != nil {
		return err
	}
	kept, err := record.ReadFile(path)
	if err != nil { // it is made, or the error explains why not
		_, err := b.load(ctx, into, origin)
		return err
	}
	made, err := b.pretrain(ctx, into, origin)
	if err != nil {
		return err
	}
	is, right := fileBase(origin.name, kept), fileBase(origin.name, made)
	if is != right {
		return input.Errorf("base policy %s: pre-training gives SHA-256 %s, the file has %s: it was altered; delete the file, and the next run makes it again", path, right.SHA256, is.SHA256)
	}
	b.Began("this run", right)
	b.note(fmt.Sprintf("base policy %s: pre-training gives the same again: SHA-256 %s", origin.name, right.SHA256))
	return nil
}
