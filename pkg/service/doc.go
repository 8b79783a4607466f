// Package service holds what the binaries of this repository share and what
// has nothing to do with animals or adapters: the life of a process (Main), its
// settings (Load, Settings), its log (NewLogger) and its HTTP server (Listen,
// Serve, NewRouter).
//
// A service is a settings struct and a function that runs until its context
// ends:
//
//	func main() {
//		service.Main(func(ctx context.Context, s Settings, stdout io.Writer) error {
//			listener, err := service.Listen("", s.Port)
//			if err != nil {
//				return err
//			}
//			log := service.NewLogger(stdout, s.LogFormat, "primary")
//			return service.Serve(ctx, log, listener, routes(log))
//		})
//	}
package service
