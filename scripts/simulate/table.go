package main

import "fmt"

const heading = `instances  strategy                    broadcasts  deliveries  detectors  timeouts  waited (s)  fallback (s)
`

const legend = `broadcasts: entries that instances wrote to the log, votes included
deliveries: entries times the instances that read them
detectors:  instances of which a call waited out the timeout
timeouts:   calls that waited out the timeout
waited:     seconds that calls waited in vain for the primary, summed over the cluster
fallback:   seconds that instances spent on the fallback, summed over the cluster
`

func row(s strategy, instances int, r result) string {
	return fmt.Sprintf("%9d  %-26s  %10d  %10d  %9d  %8d  %10.0f  %12.0f", instances, s.name,
		r.broadcasts, r.deliveries, r.detectors, r.timeouts, r.waited.Seconds(), r.fallback.Seconds())
}
