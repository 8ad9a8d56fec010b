import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The refusals of the command line and of a request to an endpoint. Their messages contain no address and no data. */
export const WebhooksError = defineErrors('WebhooksError', {
  'webhooks.url_invalid': refusal(400, 'Expected an https URL without user name and password.'),
  'webhooks.event_type_invalid': refusal(400, 'Expected event types such as document.action.completed.'),
  'webhooks.endpoint_not_found': refusal(404, 'The endpoint does not exist.'),
  'webhooks.delivery_not_found': refusal(404, 'No finished delivery of this event exists.'),
  'webhooks.address_refused': refusal(400, 'The host name has an address that is not public.'),
  'webhooks.response_refused': refusal<{ status: number }>(
    502,
    'The endpoint did not answer with a status from 200 to 299.',
  ),
})
