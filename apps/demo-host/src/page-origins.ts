/**
 * Returns the origins of the pages that can upload files to the embedded store: the page of the demo, and those of replicas on
 * other ports of this machine.
 */
export function pageOrigins(host: string, port: number): readonly string[] {
  const name = host.includes(':') ? `[${host}]` : host
  const own = URL.parse(`http://${name}:${port}`)
  return ['http://127.0.0.1:*', 'http://localhost:*', ...(own === null ? [] : [own.origin])]
}
