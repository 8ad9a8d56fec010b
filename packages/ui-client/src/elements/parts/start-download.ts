/** Long enough for any store to answer: from then on the download is the browser's, and needs the frame no more. */
const frameKeptMs = 60_000

/**
 * Has the browser fetch a file. The store sends it as an attachment; what it sends instead when it refuses or is away stays in
 * a frame that nobody sees and where nothing runs. So the page stays whatever comes, and the address, a credential, is in
 * no history and goes nowhere else.
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
