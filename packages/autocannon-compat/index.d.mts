export * from 'cannonade'
export { default } from 'cannonade'
