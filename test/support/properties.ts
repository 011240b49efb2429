import fc from 'fast-check'

// In CI a commit is judged by itself and not by luck; elsewhere every run tries something new.
if (process.env['CI'] === 'true') fc.configureGlobal({ seed: 14_791 })

export { fc }
