"""Operations that read values on the host: results whose shape depends on data, and linear algebra."""
