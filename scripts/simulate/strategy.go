package main

import (
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// strategy is one way to meet an outage.
type strategy struct {
	name     string
	mode     hotswap.Mode
	settings hotswap.Settings
}

// jitter is the timeout jitter of the strategies that have one. It is a third of
// the timeout: a call that hangs waits up to 4 s instead of 3 s, and in return
// nearly all are rescued before.
const jitter = time.Second

var strategies = []strategy{
	{"article", hotswap.AtLeastOnce, hotswap.Settings{}},
	{"rescue", hotswap.Repeatable, hotswap.Settings{}},
	{"rescue + jitter", hotswap.Repeatable, hotswap.Settings{TimeoutJitter: jitter}},
	{"rescue + jitter + quorum 3", hotswap.Repeatable, hotswap.Settings{TimeoutJitter: jitter, Quorum: 3}},
}
