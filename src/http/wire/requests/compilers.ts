import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { validatorCompiler } from './validation.ts'

/**
 * Validates requests with `validatorCompiler`, and leaves answers to the routes, which send JSON: the schemas of answers
 * are for the document and the tests.
 */
export function useOurCompilers(app: FastifyInstance) {
  app.setValidatorCompiler(validatorCompiler())
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
}

/**
 * Adds schemas to a part of the service. A scope with schemas of its own falls back to the framework's compilers,
 * which coerce bodies, drop unknown fields and build serializers that are never used: ours are set again.
 */
export function addSchemas(app: FastifyInstance, schemas: TSchema[]) {
  for (const schema of schemas) app.addSchema(schema)
  useOurCompilers(app)
}
