package cache

import "sync"

// Alone has what several make by the same name made by one at a time: who comes later finds it there.
type Alone struct {
	mu    sync.Mutex
	names map[string]*name
}

type name struct {
	mu    sync.Mutex
	users int
}

// Enter waits until nobody makes what has a name, and gives what ends making it.
func (a *Alone) Enter(as string) (leave func()) {
	a.mu.Lock()
	if a.names == nil {
		a.names = map[string]*name{}
	}
	n := a.names[as]
	if n == nil {
		n = &name{}
		a.names[as] = n
	}
	n.users++
	a.mu.Unlock()
	n.mu.Lock()
	return func() {
		n.mu.Unlock()
		a.mu.Lock()
		defer a.mu.Unlock()
		if n.users--; n.users == 0 {
			delete(a.names, as)
		}
	}
}
