package web

import (
	"net/http"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// sameOrigin refuses requests that change something and come from the page of
// another site. Programs such as curl, which are no browsers, pass.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		problem.Write(out, r, http.StatusForbidden, "the request comes from a page of another origin")
	}))
	return protection.Handler(next)
}
