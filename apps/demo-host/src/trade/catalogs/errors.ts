import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** What catalogs refuse. */
export const CatalogsError = defineErrors('CatalogsError', {
  'catalogs.not_found': refusal(404, 'There is no such catalog or item, or it is not visible to you.'),
  'catalogs.in_use': refusal(409, 'Documents name this item, so it cannot be deleted.'),
})
