import type { EmitFn, HTMLAttributes, PublicProps } from 'vue'
import type { KitEventMap, KitEventsOf } from '../elements/events.ts'
import type { KitTag, PropertiesOf } from '../elements/tag-properties.ts'

type KitEmits<Tag extends KitTag> = { [Name in keyof KitEventMap]: (event: KitEventsOf<Tag>[Name]) => void }

/**
 * An element as a component of a template: its properties, and the events of all elements. Events bubble, so an element can
 * also receive those of other elements.
 */
export type KitElementComponent<Tag extends KitTag> = new () => {
  $props: PropertiesOf<Tag> & Omit<HTMLAttributes, keyof PropertiesOf<Tag>> & PublicProps
  $emit: EmitFn<KitEmits<Tag>>
}

type KitComponents = { [Tag in KitTag]: KitElementComponent<Tag> }

declare module 'vue' {
  interface GlobalComponents extends KitComponents {}
}
