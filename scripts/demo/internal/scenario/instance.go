package scenario

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// instance is one hotswap instance of a stage, and its callers.
type instance struct {
	stage *stage
	index int
	name  string
	port  int // 0 until it first ran; it comes back to the same

	stopServing context.CancelFunc
	ended       chan error

	stopCalls context.CancelFunc
	calling   sync.WaitGroup
}

func (i *instance) url() string { return fmt.Sprintf("http://127.0.0.1:%d", i.port) }

// runner is a composed instance.
type runner interface {
	Run(ctx context.Context) error
}

// start runs the instance and returns when it is ready.
func (i *instance) start() error {
	listener, err := service.Listen("127.0.0.1", i.port)
	if err != nil {
		return err
	}
	i.port = listener.Addr().(*net.TCPAddr).Port
	composed, err := i.compose(listener)
	if err != nil {
		listener.Close()
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	i.stopServing, i.ended = stop, make(chan error, 1)
	go func() { i.ended <- composed.Run(ctx) }()
	return i.awaitReady()
}

// compose puts the instance together with the function that the binary uses, or
// as the stand-in of this version.
func (i *instance) compose(listener net.Listener) (runner, error) {
	s := i.stage
	own := settings{"INSTANCE": i.name, "PRIMARY_URL": s.upstreams.gateURLs[i.index], "FALLBACK_URL": s.upstreams.fallback}
	all := own.over(s.wires.settings(i.index)).over(s.version.settings).over(s.cast.settings).over(base)
	loaded, err := service.Load[composition.Settings](all)
	if err != nil {
		return nil, err
	}
	log := logOf(i.name, s.tell)
	observer := s.recorder.observe(i.index, walkthrough.Primary)
	connect := s.wires.connect(i.index)
	switch s.version.standIn {
	case ownQueues:
		connect = queues(connect)
	case noRescue:
		return newUnrescued(loaded, log, listener, connect, observer)
	}
	return composition.New(loaded, log, listener, connect, observer)
}

func (i *instance) awaitReady() error {
	ctx, cancel := context.WithTimeout(i.stage.ctx, patience)
	defer cancel()
	for {
		if body, err := i.stage.callers.get(ctx, i.url()+"/readyz"); err == nil && body != "" {
			return nil
		}
		if !sleep(ctx, time.Millisecond) {
			return fmt.Errorf("%s is not ready: %w", i.name, ctx.Err())
		}
	}
}

// call has the callers call.
func (i *instance) call() {
	ctx, stop := context.WithCancel(i.stage.ctx)
	i.stopCalls = stop
	i.stage.callers.call(ctx, &i.calling, i.url(), i.stage.cast.callers, i.stage.cast.think)
}

// hangUp has the callers stop.
func (i *instance) hangUp() {
	if i.stopCalls != nil {
		i.stopCalls()
		i.calling.Wait()
	}
}

// stop ends the instance, if it runs.
func (i *instance) stop() error {
	if i.ended == nil {
		return nil
	}
	i.stopServing()
	err := <-i.ended
	i.ended = nil
	return err
}

// restart stops the instances with these numbers, and starts them again.
func (s *stage) restart(numbers ...int) {
	if !s.goesOn() {
		return
	}
	s.say("Restart of instances %v.", numbers)
	var chosen []*instance
	for _, n := range numbers {
		chosen = append(chosen, s.instances[n-1])
		s.instances[n-1].hangUp()
	}
	err := each(chosen, (*instance).stop)
	if err == nil {
		err = each(chosen, (*instance).start)
	}
	if err != nil {
		s.fail(err)
		return
	}
	for _, i := range chosen {
		i.call()
	}
}
