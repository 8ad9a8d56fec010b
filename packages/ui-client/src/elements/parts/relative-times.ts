import type { ReactiveControllerHost } from 'lit'

/** How often the age of an instant is shown again. */
const intervalMs = 30_000

/** Renders an element again every 30 s while it is in the page. Elements that show relative times call it once. */
export function keepTimesCurrent(element: ReactiveControllerHost): void {
  let timer: ReturnType<typeof setInterval> | undefined
  element.addController({
    hostConnected() {
      timer = setInterval(() => element.requestUpdate(), intervalMs)
    },
    hostDisconnected: () => clearInterval(timer),
  })
}
