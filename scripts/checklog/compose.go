package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// follower is the output of a running "compose logs".
type follower struct {
	io.ReadCloser
	cmd  *exec.Cmd
	stop context.CancelFunc
}

// followCompose starts "compose logs" from now on. What the containers printed
// before stays out: compose prints the past of each container in one block, and it
// may be of earlier runs.
func followCompose(ctx context.Context, options []string, stderr io.Writer) (io.ReadCloser, error) {
	compose, err := composeCommand(ctx)
	if err != nil {
		return nil, err
	}
	args := append(append(compose[1:], options...), "logs", "--follow", "--no-color", "--tail=0")
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, compose[0], args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // "docker compose" is two processes
	cmd.WaitDelay = 2 * time.Second
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("follow the log of compose: %w", err)
	}
	return &follower{ReadCloser: out, cmd: cmd, stop: stop}, nil
}

// Close ends compose and waits for it. How it ended says nothing about the log.
func (f *follower) Close() error {
	f.stop()
	_ = f.cmd.Wait()
	return nil
}

// composeCommand finds "docker compose" or docker-compose.
func composeCommand(ctx context.Context) ([]string, error) {
	if exec.CommandContext(ctx, "docker", "compose", "version").Run() == nil {
		return []string{"docker", "compose"}, nil
	}
	path, err := exec.LookPath("docker-compose")
	if err != nil {
		return nil, fmt.Errorf(`-compose needs "docker compose" or docker-compose: %w`, err)
	}
	return []string{path}, nil
}

// untilDone is r until ctx ends; then it is at its end, even if a read hangs.
func untilDone(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.Close() })
	return out
}
