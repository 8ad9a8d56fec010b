/** Time for the store to answer. Once the download has started, the browser no longer needs the frame. */
const frameKeptMs = 60_000

/**
 * Starts the download of a file in a hidden, sandboxed frame. The store sends the file as an attachment. If it sends an
 * error page, that page stays in the frame and runs no scripts, and our page stays open. The URL is a credential: the frame
 * keeps it out of the history and out of Referer headers.
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
