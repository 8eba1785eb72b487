// WASI numbers, which is what Emscripten's C library uses: https://wasix.org/docs/api-reference/wasi/errno
export const errno = {
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  EDQUOT: 19,
  EEXIST: 20,
  EFBIG: 22,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  EMLINK: 34,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENODEV: 43,
  ENOENT: 44,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTSUP: 58,
  ENOTTY: 59,
  EPERM: 63,
  EROFS: 69,
  ESPIPE: 70,
  ESTALE: 72,
  ETXTBSY: 74,
  EXDEV: 75,
}
const errnoByCode = new Map(Object.entries(errno))

/** The number of an error of the host, or undefined for any other error. */
export function errnoOf(error) {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined
  return errnoByCode.get(error.code) ?? errno.EIO
}
