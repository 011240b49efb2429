import sharp from 'sharp'
import { startDumpServer, type DumpServer } from './dump-server.ts'

/** A JPEG with two halves of different colors, so that a blurred version differs visibly. */
export const makeTestPicture = (width = 400, height = 600) =>
  sharp({ create: { width, height, channels: 3, background: '#204080' } })
    .composite([
      {
        input: {
          create: { width: Math.ceil(width / 2), height, channels: 3, background: '#e0c040' },
        },
        left: 0,
        top: 0,
      },
    ])
    .jpeg()
    .toBuffer()

export type PictureOrigin = DumpServer & {
  /**
   * Serves these bytes at a path.
   *
   * @returns the full URL
   */
  show(path: string, bytes: Uint8Array, type?: string): string
}

/** Starts a server of pictures, like that of a catalog source. */
export async function startPictureOrigin(): Promise<PictureOrigin> {
  const server = await startDumpServer()
  return {
    ...server,
    show(path, bytes, type = 'image/jpeg') {
      server.at(path, (_request, response) => {
        response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
      })
      return server.url + path
    },
  }
}
