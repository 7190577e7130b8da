import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.RESTSerializers;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.shaded.com.fasterxml.jackson.annotation.JsonAutoDetect;
import org.apache.iceberg.shaded.com.fasterxml.jackson.annotation.PropertyAccessor;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.PropertyNamingStrategies;

/** Iceberg's REST catalog for tests: Iceberg's own handlers over its own JDBC catalog; only the routes are ours. */
public final class RestCatalog {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final JdbcCatalog catalog = new JdbcCatalog();

  public static void main(String[] args) throws IOException {
    JSON.setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
    JSON.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    JSON.setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
    RESTSerializers.registerAll(JSON);
    RestCatalog rest = new RestCatalog(args[0]);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/v1/", rest::answer);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.start();
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
    while (System.in.read() >= 0) {
      // until whoever started it is gone
    }
    System.exit(0);
  }

  private RestCatalog(String folder) {
    catalog.initialize("rest", Map.of(
        "uri", "jdbc:sqlite:file:" + folder + "/rest.db?busy_timeout=30000",
        "jdbc.schema-version", "V1", "warehouse", folder));
  }

  private void answer(HttpExchange exchange) throws IOException {
    int status = 200;
    Object body;
    try {
      String[] path = exchange.getRequestURI().getRawPath().substring("/v1/".length()).split("/");
      for (int at = 0; at < path.length; at++) {
        path[at] = URLDecoder.decode(path[at], StandardCharsets.UTF_8);
      }
      body = handle(exchange, path);
      status = body == null ? 204 : 200;
    } catch (Exception error) {
      status = statusOf(error);
      body = ErrorResponse.builder().responseCode(status).withType(error.getClass().getSimpleName())
          .withMessage(String.valueOf(error.getMessage())).build();
    }
    byte[] bytes = body == null || exchange.getRequestMethod().equals("HEAD") ? null : JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes == null ? -1 : bytes.length);
    if (bytes != null) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  /** What the specification names; null is an answer without a body. */
  private Object handle(HttpExchange exchange, String[] path) throws IOException {
    String method = exchange.getRequestMethod();
    if (path[0].equals("config")) {
      return ConfigResponse.builder().build();
    }
    if (path.length == 1) {
      return method.equals("POST")
          ? CatalogHandlers.createNamespace(catalog, read(exchange, CreateNamespaceRequest.class))
          : CatalogHandlers.listNamespaces(catalog, Namespace.empty());
    }
    Namespace namespace = Namespace.of(path[1].split("\u001f"));
    if (path.length == 2) {
      return CatalogHandlers.loadNamespace(catalog, namespace);
    }
    if (path.length == 3) {
      if (!method.equals("POST")) {
        return CatalogHandlers.listTables(catalog, namespace);
      }
      CreateTableRequest request = read(exchange, CreateTableRequest.class);
      return request.stageCreate()
          ? CatalogHandlers.stageTableCreate(catalog, namespace, request)
          : CatalogHandlers.createTable(catalog, namespace, request);
    }
    if (path.length == 5) {
      exchange.getRequestBody().readAllBytes();
      return null; // metrics
    }
    TableIdentifier table = TableIdentifier.of(namespace, path[3]);
    switch (method) {
      case "POST":
        return CatalogHandlers.updateTable(catalog, table, read(exchange, UpdateTableRequest.class));
      case "DELETE":
        CatalogHandlers.dropTable(catalog, table);
        return null;
      case "HEAD":
        CatalogHandlers.tableExists(catalog, table);
        return null;
      default:
        return CatalogHandlers.loadTable(catalog, table, RESTCatalogProperties.SnapshotMode.ALL);
    }
  }

  private static <T> T read(HttpExchange exchange, Class<T> kind) throws IOException {
    return JSON.readValue(exchange.getRequestBody(), kind);
  }

  private static int statusOf(Exception error) {
    if (error instanceof NoSuchTableException || error instanceof NoSuchNamespaceException) {
      return 404;
    }
    if (error instanceof AlreadyExistsException || error instanceof CommitFailedException) {
      return 409;
    }
    return error instanceof IllegalArgumentException ? 400 : 500;
  }
}
