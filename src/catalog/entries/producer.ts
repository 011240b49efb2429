import { Named } from '../../http/wire/schemas.ts'
import { responseProperties } from '../fields/field.ts'
import { PRODUCER_FIELDS } from '../fields/producer.ts'

/** Schema of a producer (§2.9, decision 0002). The developers of a galgame have it too. */
export const Producer = Named('Producer', responseProperties(PRODUCER_FIELDS))
