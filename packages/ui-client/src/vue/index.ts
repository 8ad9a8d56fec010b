export type { KitElementComponent } from './global-components.ts'
