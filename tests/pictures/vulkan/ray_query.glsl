// One ray by a ray query.
Met query(Ray ray) {
  rayQueryEXT q;
  rayQueryInitializeEXT(q, scene, ray.flags, ray.mask, ray.origin, ray.least, ray.direction, ray.most);
  while (rayQueryProceedEXT(q)) {
    const uint primitive = rayQueryGetIntersectionPrimitiveIndexEXT(q, false);
    const uint geometry = rayQueryGetIntersectionGeometryIndexEXT(q, false);
    const uint instance = rayQueryGetIntersectionInstanceIdEXT(q, false);
    if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
      if (accepts(primitive, geometry, instance)) rayQueryConfirmIntersectionEXT(q);
      continue;
    }
    if (!rayQueryGetIntersectionCandidateAABBOpaqueEXT(q) && !accepts(primitive, geometry, instance)) continue;
    const bool met = rayQueryGetIntersectionTypeEXT(q, true) != gl_RayQueryCommittedIntersectionNoneEXT;
    const float most = met ? rayQueryGetIntersectionTEXT(q, true) : ray.most;
    const uint at = first[rayQueryGetIntersectionInstanceCustomIndexEXT(q, false)] + 64 * geometry + primitive;
    const float t = sphere_at(spheres[at], rayQueryGetIntersectionObjectRayOriginEXT(q, false),
                              rayQueryGetIntersectionObjectRayDirectionEXT(q, false), ray.least);
    if (t >= ray.least && t <= most) rayQueryGenerateIntersectionEXT(q, t);
  }
  Met met;
  met.kind = rayQueryGetIntersectionTypeEXT(q, true);
  met.t = ray.most;
  met.at = vec2(0);
  met.instance = met.custom = met.primitive = met.geometry = met.front = met.record = 0;
  if (met.kind == 0) return met;
  met.t = rayQueryGetIntersectionTEXT(q, true);
  met.instance = rayQueryGetIntersectionInstanceIdEXT(q, true);
  met.custom = rayQueryGetIntersectionInstanceCustomIndexEXT(q, true);
  met.primitive = rayQueryGetIntersectionPrimitiveIndexEXT(q, true);
  met.geometry = rayQueryGetIntersectionGeometryIndexEXT(q, true);
  met.record = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true);
  if (met.kind == 1) {
    met.at = rayQueryGetIntersectionBarycentricsEXT(q, true);
    met.front = rayQueryGetIntersectionFrontFaceEXT(q, true) ? 1 : 0;
  }
  return met;
}
