import { defineElements } from '@vertical-kit/ui-client/elements'
import { startApp } from './app.ts'
import { preferredLanguage, showLanguage } from './language.ts'
import { DemoPage } from './shell/demo-page.ts'

defineElements()
customElements.define('demo-page', DemoPage)

// A file that misses every drop area must not replace the page. Drop areas handle these events before the window.
for (const name of ['dragover', 'drop'] as const) {
  addEventListener(name, (event) => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
    event.dataTransfer.dropEffect = 'none'
    event.preventDefault()
  })
}

const page = document.querySelector('demo-page')
if (page instanceof DemoPage) {
  Promise.all([startApp(), showLanguage(preferredLanguage())]).then(
    ([app]) => page.show(app),
    () => page.showFailure(),
  )
}
