import { defineElements } from '@vertical-kit/ui-client/elements'
import { startApp } from './app.ts'
import { DemoPage } from './shell/demo-page.ts'

defineElements()
customElements.define('demo-page', DemoPage)

const page = document.querySelector('demo-page')
if (page instanceof DemoPage) {
  startApp().then(
    (app) => page.show(app),
    () => page.showFailure(),
  )
}
