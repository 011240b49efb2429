import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { validatorCompiler } from './validation.ts'

/**
 * Validates requests with `validatorCompiler` and serializes responses with plain `JSON.stringify`. Response schemas
 * serve only the OpenAPI document and the tests.
 */
export function useOurCompilers(app: FastifyInstance) {
  app.setValidatorCompiler(validatorCompiler())
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
}

/**
 * Adds schemas to a scope and restores our compilers. Without that, a scope with its own schemas would use Fastify's
 * compilers, which coerce bodies, drop unknown fields and build unused serializers.
 */
export function addSchemas(app: FastifyInstance, schemas: TSchema[]) {
  for (const schema of schemas) app.addSchema(schema)
  useOurCompilers(app)
}
