package problem_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

func Example() {
	setAdapter := func(w http.ResponseWriter, r *http.Request) {
		body, err := problem.Decode[struct {
			Target string `json:"target"`
		}](w, r)
		if err != nil {
			problem.WriteError(w, r, err)
			return
		}
		if body.Target != "primary" && body.Target != "fallback" {
			problem.Write(w, r, http.StatusUnprocessableEntity, `field "target" must be primary or fallback`)
		}
	}
	r := httptest.NewRequest(http.MethodPut, "/adapter", http.NoBody)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	setAdapter(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	fmt.Println(w.Body)
	// Output:
	// 400 application/problem+json
	// {"type":"about:blank","title":"Bad Request","status":400,"detail":"the body is empty: must be a JSON object","instance":"/adapter"}
}

func TestAnErrorOfTheServiceIsNotShown(t *testing.T) {
	w := httptest.NewRecorder()
	problem.WriteError(w, httptest.NewRequest(http.MethodGet, "/animal", nil), fmt.Errorf("password s3cret"))
	if want := `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"unexpected error","instance":"/animal"}` + "\n"; w.Body.String() != want {
		t.Errorf("got %s", w.Body)
	}
}

func TestAWrappedErrorKeepsItsStatus(t *testing.T) {
	w := httptest.NewRecorder()
	err := fmt.Errorf("switch: %w", problem.Errorf(http.StatusConflict, "pinned to %s", "fallback"))
	problem.WriteError(w, httptest.NewRequest(http.MethodPut, "/adapter", nil), err)
	if want := `{"type":"about:blank","title":"Conflict","status":409,"detail":"pinned to fallback","instance":"/adapter"}` + "\n"; w.Code != 409 || w.Body.String() != want {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
