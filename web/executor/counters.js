/**
 * Work done since the executor was made; staging, uniform and query buffers count too.
 * `bytesAllocated` is what lives now. Mirrors `tabgrad.devices.base.Counters`.
 */
export class Counters {
  submits = 0;
  dispatches = 0;
  buffersCreated = 0;
  bindGroupsCreated = 0;
  layoutsCreated = 0;
  pipelinesCreated = 0;
  bytesUploaded = 0;
  bytesRead = 0;
  maps = 0;
  bytesAllocated = 0;
}
