package partition_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/partition"
)

// member is a line over one connection of a log.
type member struct {
	*partition.Line
	conn *membus.Conn
}

func (m member) Close() error { return m.conn.Close() }

// A line that can be cut is a Bus like any other: it passes the whole suite.
func TestConformance(t *testing.T) {
	bustest.Run(t, func(testing.TB) bustest.Connect {
		log := membus.New()
		return func(testing.TB) bustest.Member {
			conn := log.Connect()
			line := partition.New(conn)
			return bustest.Member{Bus: member{line, conn}, Cut: func() { line.Cut(time.Hour) }, Mend: line.Mend}
		}
	})
}

func TestCutEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := partition.New(membus.New().Connect())
		line.Cut(10 * time.Second)
		time.Sleep(4 * time.Second)
		if got := line.Remaining(); got != 6*time.Second {
			t.Errorf("after 4 of 10 s: %v left", got)
		}
		line.Cut(20 * time.Second)
		time.Sleep(19 * time.Second)
		if line.Remaining() == 0 {
			t.Error("the end of the first cut ended the second")
		}
		time.Sleep(2 * time.Second)
		if got := line.Remaining(); got != 0 {
			t.Errorf("after its end: %v left", got)
		}
	})
}

// A cut of an instance whose bus is away already is not a second loss.
func TestOneLossIsToldOnce(t *testing.T) {
	conn := membus.New().Connect()
	line := partition.New(conn)
	s := bustest.Join(t, func(testing.TB) bustest.Member {
		return bustest.Member{Bus: member{line, conn}, Cut: conn.Cut, Mend: conn.Mend}
	})
	s.AwaitLive(t)
	conn.Cut()
	s.Await(t, "a loss", func() bool { return len(s.Losses()) == 1 })
	line.Cut(time.Hour)
	line.Mend()
	conn.Mend()
	s.Await(t, "a second read", func() bool { return s.Reads() == 2 && s.Live() })
	if losses := s.Losses(); len(losses) != 1 {
		t.Errorf("losses: %v, want one", losses)
	}
}

var _ hotswap.Bus = (*partition.Line)(nil)
