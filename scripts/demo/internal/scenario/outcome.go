package scenario

import (
	"fmt"
	"strconv"
	"time"
)

// outcome is what one version came to.
type outcome struct {
	// timeouts are the calls to an adapter that waited out their timeout.
	timeouts int
	// byPrimary, byFallback and byNobody are the callers' answers.
	byPrimary, byFallback, byNobody int
	// firstSecond counts the requests to the primary in the second that began with
	// the first one after it was well again; notSeen if it never was ill.
	firstSecond int
	// switches of the cluster, as the log accepted them.
	switches int
	// converged is how long the instances took to be on one adapter, counted from
	// what the scenario names in until; notSeen if they did not in time.
	converged time.Duration
	until     string
	// extras are what this scenario is about beside that.
	extras []extra
}

// extra is one more row.
type extra struct {
	what  string
	value any // an int, a time.Duration or a string
}

// notSeen is what did not happen.
const notSeen = -1

// count returns the extra of that name, which is an int.
func (o outcome) count(what string) int {
	for _, e := range o.extras {
		if n, ok := e.value.(int); ok && e.what == what {
			return n
		}
	}
	return notSeen
}

// rows are the names and the values of the table's rows.
func (o outcome) rows() (names, values []string) {
	add := func(name string, value any) {
		names, values = append(names, name), append(values, text(value))
	}
	add("timeouts suffered", o.timeouts)
	add("requests answered by the primary", o.byPrimary)
	add("requests answered by the fallback", o.byFallback)
	add("requests answered by nobody", o.byNobody)
	add("requests on the primary in its first second back", o.firstSecond)
	add("switches of the cluster", o.switches)
	add("time "+o.until, o.converged)
	for _, e := range o.extras {
		add(e.what, e.value)
	}
	return names, values
}

func text(value any) string {
	switch v := value.(type) {
	case int:
		if v == notSeen {
			return "none"
		}
		return strconv.Itoa(v)
	case time.Duration:
		return duration(v)
	default:
		return fmt.Sprint(v)
	}
}

// duration rounds to what a reader wants to know.
func duration(d time.Duration) string {
	switch {
	case d == notSeen:
		return "not in time"
	case d < time.Millisecond:
		return "<1ms"
	case d < 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
