// Package live finds out what the page shows and hands it to those who read it.
//
// A Journal observes the own instance. Presence tells the journal's Report to
// the others, and hears theirs, over a Gossip channel. A Board holds what is
// known of the whole cluster, and a Feed carries its changes to readers.
//
// It all sleeps while nobody reads: an instance that hears no watcher's beacon
// says nothing, and one without readers sends no beacon.
package live
