import type { ClassAttributes, HTMLAttributes } from 'react'
import type { KitEventMap, KitEventsOf } from '../elements/events.ts'
import type { KitTag, PropertiesOf } from '../elements/tag-properties.ts'

type KitEventProps<Tag extends KitTag> = {
  [Name in keyof KitEventMap as `on${Name}`]?: (event: KitEventsOf<Tag>[Name]) => void
}

/**
 * The props of an element in JSX: its properties, and a listener `onvk-…` for each event, which React 19 adds to the element.
 * Events bubble, so an element can also receive those of other elements.
 */
export type KitElementProps<Tag extends KitTag> = PropertiesOf<Tag> &
  KitEventProps<Tag> &
  ClassAttributes<HTMLElementTagNameMap[Tag]> &
  Omit<HTMLAttributes<HTMLElementTagNameMap[Tag]>, keyof PropertiesOf<Tag>>

type KitIntrinsicElements = { [Tag in KitTag]: KitElementProps<Tag> }

declare module 'react' {
  // biome-ignore lint/style/noNamespace: React declares the types of JSX in this namespace.
  namespace JSX {
    interface IntrinsicElements extends KitIntrinsicElements {}
  }
}
