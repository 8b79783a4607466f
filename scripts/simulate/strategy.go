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

// jitter is the timeout jitter of the strategies that have one: a third of the
// timeout. A call that hangs waits up to 4 s then instead of 3 s, and in return
// nearly all are rescued before. The detectors are about the calls in flight,
// times the latency of the bus, divided by the jitter: of 1,000 instances with 10
// callers each some 240 detect with 100 ms, 90 with 300 ms, 30 with 1 s and 15
// with 3 s. A handful of instances with little traffic need none.
const jitter = time.Second

var strategies = []strategy{
	{"article", hotswap.AtLeastOnce, hotswap.Settings{}},
	{"rescue", hotswap.Repeatable, hotswap.Settings{}},
	{"rescue + jitter", hotswap.Repeatable, hotswap.Settings{TimeoutJitter: jitter}},
	{"rescue + jitter + quorum 3", hotswap.Repeatable, hotswap.Settings{TimeoutJitter: jitter, Quorum: 3}},
}
