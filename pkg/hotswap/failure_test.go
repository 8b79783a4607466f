package hotswap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// ownMark is an error type that says by itself what it means.
type ownMark struct{ failure bool }

func (ownMark) Error() string   { return "own" }
func (m ownMark) Failure() bool { return m.failure }

// timeoutLess has the method of a timeout and is none.
type timeoutLess struct{}

func (timeoutLess) Error() string { return "no timeout" }
func (timeoutLess) Timeout() bool { return false }

func TestIsFailure(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	read := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	for name, test := range map[string]struct {
		err     error
		failure bool
		reason  string
	}{
		"the deadline":                         {context.DeadlineExceeded, true, "timeout"},
		"the deadline, wrapped":                {fmt.Errorf("asking: %w", context.DeadlineExceeded), true, "timeout"},
		"a connection's deadline":              {os.ErrDeadlineExceeded, true, "timeout"},
		"a dial that timed out":                {&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, true, "timeout"},
		"a system call that timed out":         {syscall.ETIMEDOUT, true, "timeout"},
		"a name server that timed out":         {&net.DNSError{IsTimeout: true}, true, "timeout"},
		"a method Timeout that says no":        {timeoutLess{}, false, "error"},
		"a cancelled context":                  {context.Canceled, false, "error"},
		"refused":                              {dial, true, "connection refused"},
		"refused, as HTTP says it":             {&url.Error{Op: "Get", URL: "http://primary", Err: dial}, true, "connection refused"},
		"refused, on Windows":                  {&net.OpError{Op: "dial", Err: syscall.Errno(10061)}, true, "connection refused"},
		"refused, the bare number":             {syscall.ECONNREFUSED, true, "connection refused"},
		"reset":                                {read, true, "connection reset"},
		"reset, on Windows":                    {syscall.Errno(10054), true, "connection reset"},
		"aborted":                              {syscall.ECONNABORTED, true, "connection reset"},
		"a pipe without a reader":              {syscall.EPIPE, true, "connection reset"},
		"hung up before the answer":            {io.EOF, true, "connection reset"},
		"hung up in the answer":                {io.ErrUnexpectedEOF, true, "connection reset"},
		"no route":                             {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, true, "connection error"},
		"no such host":                         {&net.DNSError{IsNotFound: true}, true, "connection error"},
		"an error of nobody knows what":        {errBroken, false, "error"},
		"marked as a failure":                  {hotswap.Failure("error (HTTP 500)", errBroken), true, "error (HTTP 500)"},
		"marked as a failure, wrapped":         {fmt.Errorf("asking: %w", hotswap.Failure("garbage", errBroken)), true, "garbage"},
		"marked as a failure, of no reason":    {hotswap.Failure("", errBroken), true, "error"},
		"a marked timeout of no reason":        {hotswap.Failure("", context.DeadlineExceeded), true, "timeout"},
		"marked as an answer":                  {hotswap.Answer(errBroken), false, "error"},
		"a timeout that is marked as answer":   {hotswap.Answer(context.DeadlineExceeded), false, "timeout"},
		"an own type that says it is one":      {ownMark{true}, true, "error"},
		"an own type that says it is none":     {fmt.Errorf("%w: %w", ownMark{false}, io.EOF), false, "connection reset"},
		"the first mark counts, as a failure":  {hotswap.Failure("no", hotswap.Answer(errBroken)), true, "no"},
		"the first mark counts, as an answer":  {hotswap.Answer(hotswap.Failure("no", errBroken)), false, "error"},
		"one of several":                       {errors.Join(errBroken, read), true, "connection reset"},
		"every adapter of another port failed": {&hotswap.FailedError{Failures: []hotswap.AdapterFailure{{Adapter: "a", Err: read}}}, true, "connection reset"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hotswap.IsFailure(test.err); got != test.failure {
				t.Errorf("%v is a failure: %v", test.err, got)
			}
			if got := hotswap.Reason(test.err); got != test.reason {
				t.Errorf("the reason of %v is %q, want %q", test.err, got, test.reason)
			}
		})
	}
}

func TestMarks_KeepTheError(t *testing.T) {
	for name, mark := range map[string]func(error) error{
		"failure": func(err error) error { return hotswap.Failure("reason", err) },
		"answer":  hotswap.Answer,
	} {
		if mark(nil) != nil {
			t.Errorf("%s: nil became an error", name)
		}
		if err := mark(errBroken); !errors.Is(err, errBroken) || err.Error() != "broken" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFailedError(t *testing.T) {
	failures := []hotswap.AdapterFailure{{Adapter: "primary", Err: context.DeadlineExceeded}, {Adapter: "fallback", Err: ownMark{}}}
	for _, test := range []struct {
		err  *hotswap.FailedError
		text string
	}{
		{&hotswap.FailedError{Failures: failures, All: true},
			"every adapter failed: primary: timeout: context deadline exceeded; fallback: error: own"},
		{&hotswap.FailedError{Failures: failures[1:]}, "adapter failed: fallback: error: own"},
	} {
		if got := test.err.Error(); got != test.text {
			t.Errorf("got %q, want %q", got, test.text)
		}
		if errors.Is(test.err, hotswap.ErrAllFailed) != test.err.All {
			t.Errorf("%v: ErrAllFailed is matched: %v", test.err, !test.err.All)
		}
		var own ownMark
		if !errors.As(test.err, &own) {
			t.Errorf("%v does not lead to the cause", test.err)
		}
	}
}

// Only what proves that no connection was made may be tried again at most once.
func TestAtMostOnce_TriedElsewhereOnlyWithoutAConnection(t *testing.T) {
	for name, test := range map[string]struct {
		err       error
		elsewhere bool
	}{
		"a dial that failed":           {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, true},
		"a name that does not resolve": {fmt.Errorf("asking: %w", &net.DNSError{IsNotFound: true}), true},
		"refused":                      {syscall.ECONNREFUSED, true},
		"a read that failed":           {&net.OpError{Op: "read", Err: syscall.EHOSTUNREACH}, false},
		"a write that failed":          {&net.OpError{Op: "write", Err: syscall.EPIPE}, false},
		"reset":                        {syscall.ECONNRESET, false},
		"hung up":                      {io.EOF, false},
		"a timeout":                    {context.DeadlineExceeded, false},
		"an error (HTTP 500)":          {err500, false},
	} {
		t.Run(name, func(t *testing.T) { atMostOnce(t, test.err, test.elsewhere) })
	}
}
