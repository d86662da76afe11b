package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"modebench/estimators"
)

// pluginTimeout declares the flag of how long plug-ins may take.
func pluginTimeout(flags *pflag.FlagSet) *time.Duration {
	return flags.Duration("plugin-timeout", estimators.DefaultPluginTimeout, "how long a plug-in may take for an answer")
}

func checkTimeout(timeout time.Duration) error {
	if timeout <= 0 {
		return usagef("--plugin-timeout is %v, want more than 0, as in 90s", timeout)
	}
	return nil
}

// openPlugin starts the method's program, if it is one, in the current folder. Its
// standard error goes to ours.
func openPlugin(ctx context.Context, s streams, method *estimators.Instance, timeout time.Duration) (end func() error, err error) {
	plugin, ok := method.Estimator.(*estimators.Plugin)
	if !ok {
		return func() error { return nil }, nil
	}
	if err := plugin.Open(ctx, estimators.Host{Timeout: timeout, Stderr: s.err}); err != nil {
		return nil, inputError(err)
	}
	if err := method.Check(); err != nil { // against what it says that it needs
		return nil, errors.Join(usagef("--set: %w", err), plugin.Close())
	}
	return plugin.Close, nil
}
