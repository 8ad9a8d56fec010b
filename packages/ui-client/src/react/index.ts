export type { KitElementProps } from './intrinsic-elements.ts'
