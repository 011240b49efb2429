import { access, constants, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { listSecretFiles } from '../../config/effective-settings.ts'
import { errorCode } from '../../kernel/error-code.ts'
import type { CheckContext, MachineCheck } from '../check.ts'
import { detailOf } from '../why.ts'
import { fault, warning, type Finding } from '../finding.ts'

/** Folder of a container's secrets. Its files are readable by everyone in the container. */
const CONTAINER_SECRETS = /^\/run\/secrets\//

/** Finds files with secrets that other users of the machine can read, and a data directory that cannot be used. */
export const filesCheck: MachineCheck = {
  id: 'files',
  async run(context) {
    const files = await Promise.all(secretFiles(context).map(findReadableByAll))
    return [...files.flat(), ...(await checkDataDir(context))]
  },
}

const secretFiles = ({ config, environment, folder }: CheckContext): string[] => [
  ...listSecretFiles(environment),
  join(folder, '.env'),
  join(config.dataDir, 'demo.json'),
]

async function findReadableByAll(file: string): Promise<Finding[]> {
  const facts = await stat(file).catch(() => undefined)
  const isOpen = facts !== undefined && (facts.mode & 0o007) !== 0
  if (!isOpen || CONTAINER_SECRETS.test(file) || process.platform === 'win32') return []
  return [warning('files.secret_readable', { params: { file: basename(file) }, detail: file })]
}

async function checkDataDir({ config: { dataDir } }: CheckContext): Promise<Finding[]> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    const { mode } = await stat(dataDir)
    const isOpen = (mode & 0o022) !== 0 && process.platform !== 'win32'
    return isOpen ? [warning('files.data_dir_writable', { detail: dataDir })] : []
  } catch (error) {
    // The service creates it when it first starts.
    if (errorCode(error) === 'ENOENT') return []
    return [fault('files.data_dir_unusable', { detail: detailOf(error) })]
  }
}
