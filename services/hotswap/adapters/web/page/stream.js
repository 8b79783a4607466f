// The connection to the instance that serves the page.

// A stream on which not even a beat arrives for so long is dead, as after the
// sleep of a laptop: beats come every 4 s.
const deadAfter = 10_000;
// A page that nobody can see lets the cluster sleep after a while.
const hiddenAfter = 60_000;

/**
 * follow reads updates until the page is closed, and connects again by itself,
 * whatever happens. It calls update with each one, and link with 'connecting',
 * 'open' or 'lost'.
 */
export function follow(update, link) {
  let source, heard = Date.now(), hidden = 0;

  function open() {
    source?.close();
    heard = Date.now();
    source = new EventSource('events');
    source.onopen = alive;
    source.addEventListener('beat', alive);
    source.onmessage = (event) => { alive(); update(JSON.parse(event.data)); };
    source.onerror = () => link('lost');
  }

  function alive() {
    heard = Date.now();
    link('open');
  }

  function check() {
    if (document.hidden) {
      hidden ||= Date.now();
      if (source && Date.now() - hidden > hiddenAfter) { source.close(); source = null; link('connecting'); }
      return;
    }
    hidden = 0;
    const closed = !source || source.readyState === EventSource.CLOSED;
    if (closed || Date.now() - heard > deadAfter) {
      link('lost');
      open();
    }
  }

  link('connecting');
  open();
  setInterval(check, 2000);
  document.addEventListener('visibilitychange', check);
}
