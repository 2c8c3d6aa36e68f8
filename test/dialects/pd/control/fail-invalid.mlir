// RUN: proa-opt --verify-diagnostics %s

func.func @empty() {
  // expected-error @+1 {{'pd.fail' op C1: message must not be empty}}
  pd.fail {message = ""} : () -> ()
  return
}
