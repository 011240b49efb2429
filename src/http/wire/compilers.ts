import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { validatorCompiler } from './validation.ts'

/**
 * Has requests validated as `validatorCompiler` says, and answers written as JSON by those who make them: the schemas of
 * answers are for the document and the tests.
 */
export function useOurCompilers(app: FastifyInstance) {
  app.setValidatorCompiler(validatorCompiler())
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
}

/**
 * Makes schemas known to a part of the service. A scope with schemas of its own falls back to the framework's compilers,
 * which coerce bodies, drop fields they do not know and build serializers nobody uses: it is told to keep ours.
 */
export function addSchemas(app: FastifyInstance, schemas: TSchema[]) {
  for (const schema of schemas) app.addSchema(schema)
  useOurCompilers(app)
}
