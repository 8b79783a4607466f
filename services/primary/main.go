// Command primary is the upstream that answers "Chien", and fails on purpose.
package main

import (
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/primary/flaky"
)

func main() { service.Main(flaky.Run) }
