/**
 * Has the browser fetch a file. The store sends it as an attachment, so that the page stays and nothing of the file is shown
 * or run; the address, a credential, goes nowhere else.
 */
export function startDownload(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.rel = 'noopener noreferrer'
  link.download = ''
  link.click()
}
