// Package walkthrough holds the words of the demo log: the lines that the
// article shows under "Running the demo", and those that this reproduction adds.
//
// The text of each line is written down once, in templates. The narrator of the
// hotswap service prints from it, the checker in scripts/checklog reads by it,
// and the sample in the README is made of it, so the three cannot drift apart.
package walkthrough

import "fmt"

// The adapters and animals of the walkthrough. The primary answers Chien, the
// fallback answers Chat.
const (
	Primary  = "primary"
	Fallback = "fallback"
	Chien    = "Chien"
	Chat     = "Chat"
)

// The causes that [Detected] names. See also [CauseStatus].
const (
	CauseTimeout = "timeout"
	CauseRefused = "connection refused"
	CauseReset   = "connection reset"
	CauseInvalid = "invalid answer"
)

// CauseStatus is the cause of a switch away from an adapter that answered with
// the HTTP status code.
func CauseStatus(code int) string { return fmt.Sprintf("error (HTTP %d)", code) }

// Response is printed for each answer that a caller gets from the adapter that
// is active when the line is printed.
func Response(animal string) string {
	return Message{Kind: KindResponse, Animal: animal}.String()
}

// LateResponse is printed instead of [Response] for a success that comes in
// after the activation it was asked under has ended. The caller gets the answer,
// but it says nothing about the adapter that is active now.
func LateResponse(animal string) string {
	return Message{Kind: KindLateResponse, Animal: animal}.String()
}

// Detected is printed by an instance that met the failure itself, before the
// [Switching] that follows from it. An instance that was warned in time never
// prints it.
func Detected(adapter, cause, target string) string {
	return Message{Kind: KindDetected, From: adapter, Cause: cause, To: target}.String()
}

// Manual is printed by the instance that an operator told to switch, before the
// [Switching] that follows. There is none when target is active already.
func Manual(target string) string {
	return Message{Kind: KindManual, To: target}.String()
}

// Switching is printed once per swap of the active adapter, by every instance,
// after the line that says why: [Detected], [Received], [Recovered] or [Manual].
// Answers of the new adapter come after it.
func Switching(from, to string) string {
	return Message{Kind: KindSwitching, From: from, To: to}.String()
}

// Received is printed when an entry of another instance moves this one, before
// its [Switching]; also when it is a reconnection that brings the entry. Entries
// that move nothing (its own, void ones, repeated ones) print nothing.
func Received(target string) string {
	return Message{Kind: KindReceived, To: target}.String()
}

// Recovered is printed by the instance whose health checker found adapter well
// and decided to go back to it, before the [Switching] that follows.
func Recovered(adapter string) string {
	return Message{Kind: KindRecovered, To: adapter}.String()
}

// Replayed is printed once at a start that found switches in the log. The
// instance starts on the adapter that is in force: no [Switching] follows.
func Replayed(adapter string) string {
	return Message{Kind: KindReplayed, To: adapter}.String()
}

// ReplayedNothing is printed once at a start that found the log without a
// switch: the instance starts on adapter, its preferred one.
func ReplayedNothing(adapter string) string {
	return Message{Kind: KindReplayedNothing, To: adapter}.String()
}

// StartedAlone is printed once at a start that did not reach the bus within its
// bounded wait: the instance starts on adapter, its preferred one.
func StartedAlone(adapter string) string {
	return Message{Kind: KindStartedAlone, To: adapter}.String()
}

// Rescued is printed for each call that was in flight on the adapter an
// instance left, and was run again on the next one instead of waiting out its
// timeout.
func Rescued(from, to string) string {
	return Message{Kind: KindRescued, From: from, To: to}.String()
}

// BusLost is printed once per loss of the bus. Until [BusConnected] the instance
// hears no one and no one hears it.
func BusLost() string { return Message{Kind: KindBusLost}.String() }

// BusConnected is printed when the log is read again after a [BusLost] or a
// [StartedAlone].
func BusConnected() string { return Message{Kind: KindBusConnected}.String() }

// AsideResponse is printed instead of [Response] for an answer of an adapter that
// stood in for one call alone, because the active one failed it and no switch
// followed: the failures are too few yet, or an operator has pinned the adapter.
func AsideResponse(animal, adapter string) string {
	return Message{Kind: KindAsideResponse, Animal: animal, From: adapter}.String()
}

// Voting is printed instead of [Detected] where a quorum decides: the instance
// leaves adapter for itself alone. Its [Switching] follows.
func Voting(adapter, cause, target string) string {
	return Message{Kind: KindVoting, From: adapter, Cause: cause, To: target}.String()
}

// Rejoining is printed when an instance that left the cluster's adapter for
// itself alone finds it well again. Its [Switching] follows.
func Rejoining(adapter string) string {
	return Message{Kind: KindRejoining, To: adapter}.String()
}

// Pinned is printed when an operator keeps the cluster on the adapter that it is
// on. No [Switching] follows.
func Pinned(adapter string) string { return Message{Kind: KindPinned, To: adapter}.String() }

// Released is printed when an operator ends a pin. No [Switching] follows.
func Released(adapter string) string { return Message{Kind: KindReleased, To: adapter}.String() }
