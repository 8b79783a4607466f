package hotswap_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

type port func(context.Context) (string, error)

func TestSmoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		primary := port(func(ctx context.Context) (string, error) {
			if down.Load() {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return "Chien", nil
		})
		fallback := port(func(context.Context) (string, error) { return "Chat", nil })
		log := membus.New()
		var ins []*hotswap.Instance[port]
		for i := range 3 {
			in, err := hotswap.New(log.Connect(), hotswap.Settings{Observers: []hotswap.Observer{hotswap.ObserverFunc(func(o hotswap.Observation) { t.Logf("%d %T %+v", i, o, o) })}},
				hotswap.Adapter[port]{Name: "primary", Port: primary, Probe: func(ctx context.Context) error { _, err := primary(ctx); return err }},
				hotswap.Adapter[port]{Name: "fallback", Port: fallback})
			if err != nil {
				t.Fatal(err)
			}
			ins = append(ins, in)
			<-in.Ready()
		}
		call := func(i int) string {
			s, err := hotswap.Call(t.Context(), ins[i], hotswap.Repeatable, func(ctx context.Context, p port) (string, error) { return p(ctx) })
			if err != nil {
				t.Error(err)
			}
			return s
		}
		if got := call(0); got != "Chien" {
			t.Fatal(got)
		}
		down.Store(true)
		start := time.Now()
		go call(1)
		time.Sleep(50 * time.Millisecond)
		if got := call(0); got != "Chat" {
			t.Fatal(got)
		}
		t.Log(time.Since(start))
		down.Store(false)
		time.Sleep(10 * time.Second)
		if got := call(2); got != "Chien" {
			t.Fatal(got)
		}
		for _, in := range ins {
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
