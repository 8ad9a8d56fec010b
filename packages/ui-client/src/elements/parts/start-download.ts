/** The frame is removed after this time. Once the download has started, the browser no longer needs the frame. */
const frameKeptMs = 60_000

/**
 * Starts the download of a file in a hidden, sandboxed frame. The store sends the file as an attachment. If the store sends
 * an error page, the frame shows this page without running its scripts, and our page stays open. The URL is a credential:
 * the frame prevents the URL from appearing in the history and in Referer headers.
 */
export function startDownload(url: string): void {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.referrerPolicy = 'no-referrer'
  frame.sandbox.add('allow-downloads')
  frame.src = url
  setTimeout(() => frame.remove(), frameKeptMs)
  document.body.append(frame)
}
