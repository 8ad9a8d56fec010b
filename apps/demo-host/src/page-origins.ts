/** Returns the origins that a browser on this machine can use to open the page of the demo. */
export function pageOrigins(host: string, port: number): readonly string[] {
  return [...new Set(['127.0.0.1', 'localhost', host])]
    .map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
    .filter((origin) => URL.canParse(origin))
    .map((origin) => new URL(origin).origin)
}
