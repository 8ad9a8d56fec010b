import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The errors of the catalog routes. */
export const CatalogsError = defineErrors('CatalogsError', {
  'catalogs.not_found': refusal(404, 'The entry does not exist or is not visible to you.'),
  'catalogs.in_use': refusal(409, 'This entry is used in documents, so it cannot be deleted.'),
  'catalogs.creation_conflict': refusal(422, 'The creation key was used for an entry with other values.'),
})
