package hotswap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Errors of a guarded call.
var (
	// ErrAllFailed is matched by the error of a call that every adapter failed.
	ErrAllFailed = errors.New("every adapter failed")
	// ErrClosed is matched by the error of a call or a switch after Close.
	ErrClosed = errors.New("instance closed")
	// ErrAbandoned is matched by the failure of an attempt that was not even
	// started, because too many earlier ones ignore their context (see
	// Settings.MaxAbandoned).
	ErrAbandoned = errors.New("too many calls ignore their context")
)

// marked is an error whose author said what it means for the adapter.
type marked struct {
	failure bool
	reason  string
	err     error
}

func (m *marked) Error() string { return m.err.Error() }
func (m *marked) Unwrap() error { return m.err }
func (m *marked) Failure() bool { return m.failure }

// Failure marks err as a failure of the adapter. The reason, such as "error
// (HTTP 500)", is for people and for the log. A nil err gives nil.
func Failure(reason string, err error) error {
	if err == nil {
		return nil
	}
	return &marked{failure: true, reason: reason, err: err}
}

// Answer marks err as an answer, such as a 404: the adapter works, whatever err
// looks like. A nil err gives nil.
func Answer(err error) error {
	if err == nil {
		return nil
	}
	return &marked{err: err}
}

// mark returns what the adapter itself said of err: any error in the chain may
// have a method Failure() bool.
func mark(err error) (failure, said bool) {
	var m interface{ Failure() bool }
	if errors.As(err, &m) {
		return m.Failure(), true
	}
	return false, false
}

// IsFailure is the default classifier: marks first (see Failure and Answer),
// then deadlines and connection errors. Any other error is an answer.
func IsFailure(err error) bool {
	if failure, said := mark(err); said {
		return failure
	}
	return isTimeout(err) || isConnection(err)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &t) && t.Timeout()
}

func isConnection(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) || errors.As(err, &dns) || isRefused(err) || isReset(err)
}

func isRefused(err error) bool { return isAny(err, syscall.ECONNREFUSED, wsaRefused) }

// isReset also takes a peer that hangs up in the middle of an answer.
func isReset(err error) bool {
	return isAny(err, syscall.ECONNRESET, wsaReset, syscall.ECONNABORTED, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF)
}

// What Windows says where others say ECONNREFUSED and ECONNRESET. No other system
// has errors of these numbers.
const wsaRefused, wsaReset = syscall.Errno(10061), syscall.Errno(10054)

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// neverStarted reports whether err proves that the operation had no effect: no
// connection was made.
func neverStarted(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns) ||
		isRefused(err) || errors.Is(err, ErrAbandoned)
}

// Reason names a failure in a few words: the mark's own, "timeout", "connection
// refused", "connection reset", "connection error", otherwise "error".
func Reason(err error) string {
	var m *marked
	switch {
	case errors.As(err, &m) && m.reason != "":
		return m.reason
	case isTimeout(err):
		return "timeout"
	case isRefused(err):
		return "connection refused"
	case isReset(err):
		return "connection reset"
	case isConnection(err):
		return "connection error"
	}
	return "error"
}

// AdapterFailure is how one adapter failed one call.
type AdapterFailure struct {
	Adapter string
	Err     error
}

// FailedError is the error of a call that no adapter answered. errors.Is and
// errors.As reach the cause of each adapter; ErrAllFailed is matched when none
// was left to try.
type FailedError struct {
	// Failures names each adapter that failed the call, in that order. One that
	// failed, became active again meanwhile and failed again is named twice.
	Failures []AdapterFailure
	// All says that every adapter was tried. Otherwise the operation could not be
	// tried again (see Mode).
	All bool
}

func (e *FailedError) Error() string {
	parts := make([]string, len(e.Failures))
	for i, f := range e.Failures {
		parts[i] = fmt.Sprintf("%s: %s: %v", f.Adapter, Reason(f.Err), f.Err)
	}
	text := strings.Join(parts, "; ")
	if e.All {
		return ErrAllFailed.Error() + ": " + text
	}
	return "adapter failed: " + text
}

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error {
	var causes []error
	if e.All {
		causes = append(causes, ErrAllFailed)
	}
	for _, f := range e.Failures {
		causes = append(causes, f.Err)
	}
	return causes
}
