import { KitError } from '../../client/kit-error.ts'

/** The frame is removed after this time. Once the download has started, the browser no longer needs the frame. */
const frameKeptMs = 60_000

/**
 * Starts the download of a file in a hidden, sandboxed frame. The store sends the file as an attachment. If the store sends
 * an error page, the frame shows this page without running its scripts, and our page stays open. The URL is a credential:
 * the frame prevents the URL from appearing in the history and in Referer headers.
 *
 * Calls `fail` if the frame receives an error page, which the user cannot see.
 */
export function startDownload(url: string, fail: (error: KitError) => void): void {
  const frame = Object.assign(document.createElement('iframe'), {
    hidden: true,
    referrerPolicy: 'no-referrer',
    sandbox: 'allow-downloads',
    src: url,
    // The frame of a download stays empty, and has no such event.
    onload: () => fail(new KitError({ code: 'client.transfer_failed' })),
  })
  setTimeout(() => frame.remove(), frameKeptMs)
  document.body.append(frame)
}
