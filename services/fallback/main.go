// Command fallback is the upstream that always answers: "Chat".
package main

import (
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/fallback/steady"
)

func main() { service.Main(steady.Run) }
