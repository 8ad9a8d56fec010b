import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The refusals of the command line and of a request to an endpoint. Their messages contain no address and no data. */
export const WebhooksError = defineErrors('WebhooksError', {
  'webhooks.url_invalid': refusal(400, 'Expected an https URL without user name and password.'),
  'webhooks.event_type_invalid': refusal(400, 'Expected event types such as document.action.completed.'),
  'webhooks.endpoint_not_found': refusal(404, 'The endpoint does not exist.'),
  'webhooks.endpoint_disabled': refusal(409, 'The endpoint is disabled. Enable it first.'),
  'webhooks.rotation_running': refusal(
    409,
    'The last rotation is less than 24 hours old. Another one would end the secret that the receiver may still use. Wait, or use --force.',
  ),
  'webhooks.delivery_not_found': refusal(404, 'No finished delivery of this event exists.'),
  'webhooks.dead_letter_not_found': refusal(404, 'The dead letter does not exist.'),
  'webhooks.address_refused': refusal(
    400,
    'The URL has an address that is not public. Only Webhooks__AllowPrivateAddresses permits it.',
  ),
  'webhooks.response_refused': refusal<{ status: number }>(
    502,
    'The endpoint did not answer with a status from 200 to 299.',
  ),
})
